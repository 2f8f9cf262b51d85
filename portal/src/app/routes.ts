import { createRootRoute } from '@tanstack/react-router'
import { me, queries } from '../api/queries.ts'
import { Broken } from '../parts/Broken.tsx'
import { NotFound } from '../parts/NotFound.tsx'
import { speakAsAccount } from './language.ts'
import { Shell } from './Shell.tsx'

/** The frame around every screen; who is signed in is known before anything is shown. */
export const root = createRootRoute({
  loader: async () => speakAsAccount(await queries.ensureQueryData(me)),
  component: Shell,
  errorComponent: Broken,
  notFoundComponent: NotFound,
})
