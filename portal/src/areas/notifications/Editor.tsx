import { Button, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AsksToLeave } from '../../parts/AsksToLeave.tsx'
import { Confirm } from '../../parts/Confirm.tsx'
import { IconSend } from '../../parts/icons.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { told } from '../../parts/told.ts'
import { asHtml } from './asHtml.ts'
import type { Choice } from './filter.ts'
import { filterOf } from './filter.ts'
import { MailPreview } from './MailPreview.tsx'
import { counted, send } from './queries.ts'
import { Recipients } from './Recipients.tsx'
import { useWhom } from './useWhom.ts'

type Written = { choice: Choice; subject: string; text: string; isHtml: boolean }

/** Whom, what, and how it will look; then the question that says how many get it. */
export function Editor({ initial }: { initial: Written }) {
  const { t } = useTranslation('notifications')
  const navigate = useNavigate()
  const whom = useWhom()
  const [choice, setChoice] = useState(initial.choice)
  const [subject, setSubject] = useState(initial.subject)
  const [text, setText] = useState(initial.text)
  const [isHtml, setHtml] = useState(initial.isHtml)
  const [asking, { open, close }] = useDisclosure()
  const filter = filterOf(choice)
  const message = isHtml ? text : asHtml(text)
  const [shown] = useDebouncedValue({ subject, message }, 400)
  // Counted anew for the question, however long the writing took.
  const count = useQuery({
    ...counted(filter ?? { filter_type: 'group', filter_value: '', active_only: false }),
    enabled: filter !== undefined,
    staleTime: 0,
  })
  const sending = useMutation({
    mutationFn: () => {
      if (!filter) throw new Error('nobody is chosen')
      return send({ ...filter, subject: subject.trim(), message })
    },
    onSuccess: (id) => {
      told(t('send.done'))
      return navigate({ to: '/admin/notifications/$id', params: { id }, replace: true, ignoreBlocker: true })
    },
  })
  const ask = async (event: FormEvent) => {
    event.preventDefault()
    const { data } = await count.refetch()
    if (data) open()
  }
  return (
    <>
      <form onSubmit={ask}>
        <Panel title={t('recipients.title')} lead={t('recipients.lead')}>
          <Recipients choice={choice} onChange={setChoice} count={count} isNobody={filter === undefined} />
        </Panel>
        <div className="notes-editor">
          <Panel title={t('message.title')}>
            <Stack gap="md">
              <TextInput
                label={t('message.subject')}
                required
                withAsterisk={false}
                maxLength={200}
                value={subject}
                onChange={({ currentTarget }) => setSubject(currentTarget.value)}
              />
              <Radio.Group
                label={t('message.form')}
                value={isHtml ? 'html' : 'text'}
                onChange={(form) => setHtml(form === 'html')}
              >
                <div className="notes-forms">
                  <Radio value="text" label={t('message.text')} />
                  <Radio value="html" label={t('message.html')} />
                </div>
              </Radio.Group>
              <Textarea
                label={t('message.title')}
                description={t(isHtml ? 'message.htmlHint' : 'message.textHint')}
                required
                withAsterisk={false}
                classNames={isHtml ? { input: 'notes-source notes-code' } : { input: 'notes-source' }}
                value={text}
                onChange={({ currentTarget }) => setText(currentTarget.value)}
              />
            </Stack>
          </Panel>
          <Panel title={t('preview.title')} lead={t('preview.lead')}>
            {shown.subject.trim() === '' || shown.message.trim() === '' ? (
              <Text c="dimmed">{t('preview.nothing')}</Text>
            ) : (
              <MailPreview {...shown} />
            )}
          </Panel>
        </div>
        <div className="notes-send">
          {count.data === 0 && <Text size="sm">{t('send.nobody')}</Text>}
          <Button
            type="submit"
            disabled={filter === undefined || count.data === 0}
            loading={count.isFetching}
            leftSection={<IconSend size={18} stroke={1.75} aria-hidden />}
          >
            {t('send.open')}
          </Button>
        </div>
      </form>
      <Confirm
        opened={asking}
        onClose={() => {
          close()
          sending.reset()
        }}
        title={t('send.title', { count: count.data ?? 0 })}
        action={t('send.action', { count: count.data ?? 0 })}
        onConfirm={() => sending.mutate()}
        busy={sending.isPending}
        error={sending.error}
        danger={false}
      >
        {filter && t('send.text', { subject: subject.trim(), whom: whom(filter) })}
      </Confirm>
      <AsksToLeave when={JSON.stringify({ choice, subject, text, isHtml }) !== JSON.stringify(initial)} />
    </>
  )
}
