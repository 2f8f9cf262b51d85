import { useTranslation } from 'react-i18next'
import { CopyField } from '../../parts/CopyField.tsx'
import { Panel } from '../../parts/Panel.tsx'
import type { Service } from './RecipeForm.tsx'

const first = ['issuer', 'discovery'] as const
const single = [
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'jwks_uri',
  'end_session_endpoint',
  'introspection_endpoint',
  'revocation_endpoint',
  'device_authorization_endpoint',
] as const

/** Where the service is asked, as applications want to be told; most need the first of them alone. */
export function Endpoints({ service }: { service: Service }) {
  const { t } = useTranslation('clients')
  const known = { ...service, discovery: `${service.issuer}/.well-known/openid-configuration` }
  const shown = (names: readonly ((typeof first)[number] | (typeof single)[number])[]) => (
    <div className="client-values">
      {names.map((name) => {
        const value = known[name]
        const hint = t(`connect.${name}Hint`)
        return value && <CopyField key={name} label={t(`connect.${name}`)} hint={hint} value={value} />
      })}
    </div>
  )
  return (
    <Panel title={t('connect.service')} lead={t('connect.serviceLead')}>
      {shown(first)}
      <details className="client-more">
        <summary>{t('connect.single')}</summary>
        {shown(single)}
      </details>
    </Panel>
  )
}
