import { Badge, Button, Group, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries.ts'
import { Failed } from '../../parts/Failed.tsx'
import { IconAlertTriangle, IconCircleCheck } from '../../parts/icons.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { change, verification } from './queries.ts'
import { useTask } from './useTask.ts'
import { VerifyByCode } from './VerifyByCode.tsx'

/** Where I am reached, and whether I showed that it is me. */
export function Contact() {
  const { t } = useTranslation('account')
  const { data, error } = useQuery(verification)
  return (
    <Panel title={t('contact.title')} lead={t('contact.lead')}>
      <Stack gap="lg">
        <Address kind="mail" verified={data?.emailVerified} />
        <Address kind="mobile" verified={data?.phoneVerified} />
        {error && <Failed error={error} />}
      </Stack>
    </Panel>
  )
}

type Props = { kind: 'mail' | 'mobile'; verified: boolean | undefined }

function Address({ kind, verified }: Props) {
  const { t } = useTranslation(['account', 'app'])
  const me = useMe()
  const stands = me[kind] ?? ''
  const [typed, setTyped] = useState<string>()
  const [verifying, setVerifying] = useState(false)
  const value = typed ?? stands
  const saving = useTask({
    does: () => change(me, { [kind]: value.trim() || null }),
    says: t(`contact.changed.${kind}`),
    renews: verification.queryKey,
    after: () => setTyped(undefined),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.mutate()
  }
  const changed = value.trim() !== stands
  return (
    <div>
      <form onSubmit={submit}>
        <Group align="flex-end" gap="sm">
          <TextInput
            className="grows"
            label={t(`contact.${kind}`)}
            type={kind === 'mail' ? 'email' : 'tel'}
            autoComplete={kind === 'mail' ? 'email' : 'tel'}
            required={kind === 'mail'}
            withAsterisk={false}
            value={value}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button
            type="submit"
            variant={changed ? 'filled' : 'default'}
            disabled={!changed}
            loading={saving.isPending}
          >
            {t('app:save')}
          </Button>
        </Group>
      </form>
      <Group mt="xs" gap="sm" mih={30}>
        {stands && verified !== undefined && <State verified={verified} />}
        {stands && verified === false && !changed && (
          <Button
            size="compact-sm"
            variant="light"
            onClick={() => setVerifying(true)}
            aria-label={t(`contact.verify.${kind}`)}
          >
            {t('contact.verify.action')}
          </Button>
        )}
      </Group>
      {saving.error && <Failed error={saving.error} />}
      <VerifyByCode kind={kind} address={stands} opened={verifying} onClose={() => setVerifying(false)} />
    </div>
  )
}

function State({ verified }: { verified: boolean }) {
  const { t } = useTranslation('account')
  const Icon = verified ? IconCircleCheck : IconAlertTriangle
  return (
    <Badge
      color={verified ? 'green' : 'yellow'}
      variant="light"
      tt="none"
      size="lg"
      leftSection={<Icon size={16} />}
    >
      {t(verified ? 'contact.verified' : 'contact.unverified')}
    </Badge>
  )
}
