import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'

type Told = Record<string, unknown>
type Row = { name: string; value: unknown; where: ('id_token' | 'userinfo')[] }
type Props = { idToken: Told; userinfo: Told }

/** Claims by name, each with where it is told; one that differs between the two stands twice. */
export function Claims({ idToken, userinfo }: Props) {
  const { t } = useTranslation('clients')
  const names = [...new Set([...Object.keys(userinfo), ...Object.keys(idToken)])]
  const rows = names.flatMap((name): Row[] => {
    const isSame = JSON.stringify(idToken[name]) === JSON.stringify(userinfo[name])
    if (isSame) return [row(name, idToken, 'id_token', 'userinfo')]
    return [
      ...(name in idToken ? [row(name, idToken, 'id_token')] : []),
      ...(name in userinfo ? [row(name, userinfo, 'userinfo')] : []),
    ]
  })
  return (
    <table className="client-claims" aria-label={t('preview.claims')}>
      <thead>
        <tr>
          <th scope="col">{t('preview.claim')}</th>
          <th scope="col">{t('preview.value')}</th>
          <th scope="col">{t('preview.where')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, value, where }) => (
          <tr key={name + where.join()}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>{said(value)}</td>
            <td>
              {where.map((each) => (
                <Badge key={each} component="span" variant="light" color="gray" tt="none" mr={4}>
                  {t(`preview.${each}`)}
                </Badge>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function row(name: string, told: Told, ...where: Row['where']): Row {
  return { name, value: told[name], where }
}

function said(value: unknown): string {
  if (Array.isArray(value)) return value.map(said).join(', ') || '[]'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
