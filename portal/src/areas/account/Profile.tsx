import { Button, Group, SimpleGrid, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries.ts'
import { Failed } from '../../parts/Failed.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { told } from '../../parts/told.ts'
import { Contact } from './Contact.tsx'
import { change } from './queries.ts'

/** Who I am, and where I am reached. */
export function Profile() {
  return (
    <>
      <Person />
      <Contact />
    </>
  )
}

function Person() {
  const { t } = useTranslation(['account', 'app'])
  const me = useMe()
  const { givenName, sn, dateOfBirth = '' } = me
  const form = useForm({ initialValues: { givenName, sn, dateOfBirth } })
  const saving = useMutation({
    mutationFn: (values: typeof form.values) =>
      change(me, { ...values, dateOfBirth: values.dateOfBirth || null }),
    onSuccess: (_, values) => {
      form.resetDirty(values)
      told(t('profile.saved'))
    },
  })
  return (
    <Panel title={t('profile.title')} lead={t('profile.lead')}>
      <form onSubmit={form.onSubmit((values) => saving.mutate(values))}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} mb="md">
          <TextInput
            label={t('profile.givenName')}
            required
            withAsterisk={false}
            maxLength={128}
            autoComplete="given-name"
            {...form.getInputProps('givenName')}
          />
          <TextInput
            label={t('profile.sn')}
            required
            withAsterisk={false}
            maxLength={128}
            autoComplete="family-name"
            {...form.getInputProps('sn')}
          />
          <TextInput
            label={t('profile.uid')}
            description={t('profile.uidHint')}
            value={me.uid}
            readOnly
            variant="filled"
          />
          <TextInput
            type="date"
            label={t('profile.dateOfBirth')}
            description={t('profile.optional')}
            autoComplete="bday"
            {...form.getInputProps('dateOfBirth')}
          />
        </SimpleGrid>
        {saving.error && <Failed error={saving.error} />}
        <Group justify="flex-end" mt="md">
          <Button type="submit" loading={saving.isPending} disabled={!form.isDirty()}>
            {t('app:save')}
          </Button>
        </Group>
      </form>
    </Panel>
  )
}
