import { BackTo } from '../../parts/BackTo.tsx'
import './clients.css'
import './client-parts.css'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Asked } from '../../parts/Asked.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { recipes } from './apps.ts'
import { ChooseRecipe } from './ChooseRecipe.tsx'
import type { Made } from './Created.tsx'
import { Created } from './Created.tsx'
import { discovery } from './queries.ts'
import { RecipeForm } from './RecipeForm.tsx'

/** Connects an application: which one, its settings, and what to enter there. The step is in the address, the secret nowhere. */
export function NewClient() {
  const { t } = useTranslation('clients')
  const { recipe: chosen } = useSearch({ from: '/admin/applications/new' })
  const [made, make] = useState<Made>()
  const known = useQuery(discovery)
  const recipe = recipes.find(({ id }) => id === chosen)
  if (made)
    return (
      <>
        <PageHead title={t('new.doneTitle', { name: made.name })} lead={t('new.doneLead')} />
        <Asked of={known}>{(service) => <Created made={made} service={service} />}</Asked>
      </>
    )
  const isChosen = recipe !== undefined || chosen === 'other'
  return (
    <>
      <BackTo
        to={isChosen ? '/admin/applications/new' : '/admin/applications'}
        label={t(isChosen ? 'new.chooseAnother' : 'title')}
      />
      {isChosen ? (
        <>
          <PageHead
            title={recipe ? t('new.formTitle', { name: recipe.name }) : t('new.otherTitle')}
            lead={t('new.formLead')}
          />
          <Asked of={known} rows={4} height={160}>
            {(service) => <RecipeForm key={chosen} recipe={recipe} service={service} onMade={make} />}
          </Asked>
        </>
      ) : (
        <>
          <PageHead title={t('connectNew')} lead={t('new.chooseLead')} />
          <ChooseRecipe recipes={recipes} />
        </>
      )}
    </>
  )
}
