import { Alert, Button, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AsksToLeave } from '../../parts/AsksToLeave.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconInfoCircle } from '../../parts/icons.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { Panel } from '../../parts/Panel.tsx'
import type { Made } from './Created.tsx'
import { register } from './changes.ts'
import { Addresses, General, Who } from './FieldsIdentity.tsx'
import { Method, Tokens, Told } from './FieldsProtocol.tsx'
import type { Values } from './fields.ts'
import { blank, newFields, withRecipe } from './fields.ts'
import { hintOf } from './hints.ts'
import type { discovery } from './queries.ts'
import type { Recipe } from './recipes.ts'
import { registrationAt } from './recipes.ts'

export type Service = Awaited<ReturnType<NonNullable<typeof discovery.queryFn>>>
type Props = { recipe: Recipe | undefined; service: Service; onMade: (made: Made) => void }

/** What the recipe says of an application at the address that is typed, to be adjusted. */
export function RecipeForm({ recipe, service, onMade }: Props) {
  const { t } = useTranslation(['clients', 'app'])
  const [address, setAddress] = useState('')
  const form = useForm<Values>({ initialValues: begin(recipe) })
  const base = addressIn(address)
  const needsBase = recipe?.base !== undefined
  const isFilled = !needsBase || base !== undefined
  const making = useMutation({
    mutationFn: () => register(newFields(form.values)),
    // The secret is not kept beside the screen that shows it.
    gcTime: 0,
    onSuccess: (answered) =>
      onMade({ ...answered, name: form.values.name.trim(), recipe, ...(base ? { base } : {}) }),
  })
  const move = (typed: string) => {
    setAddress(typed)
    const base = addressIn(typed)
    if (recipe && base) form.setValues(addresses(withRecipe(blank, registrationAt(recipe, base))))
  }
  const hint = recipe && hintOf(recipe.id)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        making.mutate()
      }}
    >
      {needsBase && (
        <Panel title={t('new.where')}>
          <TextInput
            label={t('new.base')}
            description={t('new.baseHint', { name: recipe.name, example: recipe.base })}
            type="url"
            required
            withAsterisk={false}
            placeholder="https://"
            value={address}
            onChange={(event) => move(event.currentTarget.value)}
            // What it fills in is looked at before anything is made of it.
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            error={
              address !== '' && !base && !/^https?:\/{0,2}$/.test(address) ? t('new.baseWrong') : undefined
            }
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        </Panel>
      )}
      {hint && (
        <Alert mb="md" icon={<IconInfoCircle aria-hidden />}>
          {t(hint)}
        </Alert>
      )}
      {isFilled ? (
        <>
          <General form={form} />
          <Addresses form={form} />
          <Who form={form} />
          <Method form={form} />
          <Told form={form} />
          <Tokens
            form={form}
            usual={{
              access_token: service.access_token_lifetime,
              refresh_token: service.refresh_token_lifetime,
            }}
          />
        </>
      ) : (
        <Text c="dimmed" mb="md">
          {t('new.baseFirst')}
        </Text>
      )}
      {making.error && <Failed error={making.error} />}
      <Group justify="flex-end" gap="xs" className="client-save" data-changed={isFilled || undefined}>
        <ButtonLink to="/admin/applications" variant="default">
          {t('app:cancel')}
        </ButtonLink>
        <Button type="submit" loading={making.isPending} disabled={!isFilled}>
          {t('new.create')}
        </Button>
      </Group>
      <AsksToLeave when={address !== '' || form.isDirty()} />
    </form>
  )
}

/** All that the recipe says; its addresses wait for where the application stands. */
function begin(recipe: Recipe | undefined): Values {
  if (!recipe) return blank
  const values = withRecipe({ ...blank, name: recipe.fields.name }, recipe.fields)
  return recipe.base === undefined ? values : { ...values, ...addresses(blank) }
}

type Address = 'redirect_uris' | 'post_logout_redirect_uris' | 'backchannel_logout_uri'

function addresses(values: Values): Pick<Values, Address> {
  const { redirect_uris, post_logout_redirect_uris, backchannel_logout_uri } = values
  return { redirect_uris, post_logout_redirect_uris, backchannel_logout_uri }
}

/** An address without the slash at its end; `undefined` for what is none, or is more than one. */
function addressIn(typed: string): string | undefined {
  const text = typed.trim()
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return undefined
  const { href, search, hash, username, hostname } = new URL(text)
  if (search || hash || username || hostname === '') return undefined
  return href.replace(/\/+$/, '')
}
