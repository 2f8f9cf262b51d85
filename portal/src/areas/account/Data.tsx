import { Button, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { IconDownload, IconTrash } from '../../parts/icons.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { everythingOf, saveAsFile } from './mydata.ts'
import { deleteAccount } from './queries.ts'

/** All that the service knows of me, as a file; and the end of it. */
export function Data() {
  return (
    <>
      <MyData />
      <DeleteAccount />
    </>
  )
}

function MyData() {
  const { t } = useTranslation('account')
  const me = useMe()
  const saving = useMutation({
    mutationFn: async () => saveAsFile(`${me.uid}.json`, await everythingOf()),
  })
  return (
    <Panel title={t('data.title')} lead={t('data.lead')}>
      {saving.error && <Failed error={saving.error} />}
      <Button
        variant="default"
        leftSection={<IconDownload size={18} />}
        loading={saving.isPending}
        onClick={() => saving.mutate()}
      >
        {t('data.download')}
      </Button>
    </Panel>
  )
}

function DeleteAccount() {
  const { t } = useTranslation('account')
  const me = useMe()
  const [asking, ask] = useState(false)
  const deleting = useMutation({
    mutationFn: () => deleteAccount(me),
    onSuccess: () => location.assign('/login/signed-out'),
  })
  const count = me.memberOf.length
  return (
    <Panel title={t('delete.title')} lead={t('delete.lead')}>
      <Button color="red" variant="light" leftSection={<IconTrash size={18} />} onClick={() => ask(true)}>
        {t('delete.action')}
      </Button>
      <Confirm
        opened={asking}
        onClose={() => {
          ask(false)
          deleting.reset()
        }}
        title={t('delete.confirmTitle', { uid: me.uid })}
        action={t('delete.action')}
        onConfirm={() => deleting.mutate()}
        busy={deleting.isPending}
        error={deleting.error}
        typed={me.uid}
      >
        <Text size="sm">{t('delete.what', { uid: me.uid, count })}</Text>
        <Text size="sm" mt="xs">
          {t('delete.never')}
        </Text>
      </Confirm>
    </Panel>
  )
}
