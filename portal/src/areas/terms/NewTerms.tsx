import './terms.css'
import { Alert, Button, Group, Text, Textarea } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AsksToLeave } from '../../parts/AsksToLeave.tsx'
import { BackTo } from '../../parts/BackTo.tsx'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconAlertTriangle } from '../../parts/icons.tsx'
import { Loading } from '../../parts/Loading.tsx'
import { PageHead } from '../../parts/PageHead.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { told } from '../../parts/told.ts'
import { Preview } from './Preview.tsx'
import { concerned, publish, terms } from './queries.ts'

/** A new version: written beside what people will read, and put in force after saying what that means. */
export function NewTerms() {
  const { t } = useTranslation('terms')
  const { data: current, error, refetch } = useQuery(terms())
  return (
    <>
      <BackTo to="/admin/terms" label={t('title')} />
      <PageHead title={t('new.title')} lead={t('new.lead')} />
      {error && !current && <Failed error={error} onRetry={refetch} />}
      {!error && !current && <Loading rows={1} height={420} />}
      {current && <Editor before={current.text} version={current.version + 1} />}
    </>
  )
}

function Editor({ before, version }: { before: string; version: number }) {
  const { t } = useTranslation(['terms', 'app'])
  const navigate = useNavigate()
  const [text, setText] = useState(before)
  const [shown] = useDebouncedValue(text, 400)
  const [asking, { open, close }] = useDisclosure()
  const { data: whom } = useQuery(concerned)
  const isSame = text.trim() === before.trim()
  const isEmpty = text.trim() === ''
  const publishing = useMutation({
    mutationFn: () => publish(text),
    onSuccess: async (number) => {
      told(t(isEmpty ? 'publish.withdrawn' : 'publish.done', { number }))
      await navigate({ to: '/admin/terms', ignoreBlocker: true })
    },
  })
  return (
    <>
      <div className="terms-editor">
        <Panel title={t('new.text')} lead={t('new.markdown')}>
          <Textarea
            aria-label={t('new.text')}
            classNames={{ input: 'terms-source' }}
            maxLength={60_000}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
        </Panel>
        <Panel title={t('new.preview')} lead={t('new.previewLead')}>
          {shown.trim() === '' ? (
            <Text c="dimmed">{t('new.nothing')}</Text>
          ) : (
            <Preview text={shown} title={t('new.preview')} />
          )}
        </Panel>
      </div>
      {whom && !whom.asked && (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} mb="md" title={t('publish.notAsked')}>
          {t('publish.notAskedText')}
        </Alert>
      )}
      <Group justify="flex-end" gap="sm">
        {isSame && (
          <Text size="sm" c="dimmed">
            {t('new.same')}
          </Text>
        )}
        <Button disabled={isSame || !whom} onClick={open}>
          {t(isEmpty ? 'publish.withdraw' : 'publish.open', { number: version })}
        </Button>
      </Group>
      <Confirm
        opened={asking}
        onClose={() => {
          close()
          publishing.reset()
        }}
        title={t(isEmpty ? 'publish.withdrawTitle' : 'publish.title', { number: version })}
        action={t(isEmpty ? 'publish.withdrawAction' : 'publish.action')}
        onConfirm={() => publishing.mutate()}
        busy={publishing.isPending}
        error={publishing.error}
        danger={isEmpty}
      >
        {isEmpty ? t('publish.withdrawText') : <Meaning whom={whom} />}
      </Confirm>
      <AsksToLeave when={!isSame} />
    </>
  )
}

/** What putting a version in force does, by number. */
function Meaning({ whom }: { whom: { people: number; asked: boolean; enforce: string } | undefined }) {
  const { t } = useTranslation('terms')
  if (!whom) return null
  if (!whom.asked) return t('publish.notAskedText')
  return (
    <>
      {t('publish.text', { count: whom.people })}{' '}
      {t(whom.enforce === 'api' ? 'publish.everywhere' : 'publish.pages')}
    </>
  )
}
