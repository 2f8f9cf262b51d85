import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { mayUse, useMe } from '../../api/queries.ts'

/** An application is a resource too: who finds it under My apps, and with which picture and address, is said there. */
export function InDirectory({ id }: { id: string }) {
  const { t } = useTranslation('clients')
  return (
    <Text size="sm" c="dimmed" mb="md">
      {t('inDirectory.text')}{' '}
      {mayUse(useMe(), 'app_sso_directory_admin') ? (
        <Link to="/admin/directory" search={{ id }} className="client-link">
          {t('inDirectory.open')}
        </Link>
      ) : (
        t('inDirectory.others')
      )}
    </Text>
  )
}
