import page from '../../../../docs/apps.md?raw'
import { recipesOf } from './recipes.ts'

/** The applications of docs/apps.md. */
export const recipes = recipesOf(page)
