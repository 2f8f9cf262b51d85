import { useTranslation } from 'react-i18next'

const labels = {
  name: 'fields.name.label',
  description: 'fields.description.label',
  logo_uri: 'fields.logo_uri.label',
  redirect_uris: 'fields.redirect_uris.label',
  post_logout_redirect_uris: 'fields.post_logout_redirect_uris.label',
  backchannel_logout_uri: 'fields.backchannel_logout_uri.label',
  allowed_groups: 'fields.who',
  scopes: 'fields.scopes.label',
  groups_claim: 'fields.groups_claim.label',
  groups_in_id_token: 'fields.groups_in_id_token.label',
  public: 'fields.kind.label',
  require_pkce: 'fields.require_pkce.label',
  skip_consent: 'fields.skip_consent.label',
  grant_types: 'fields.grant_types.label',
  token_lifetime: 'fields.tokens',
  id_token_signed_response_alg: 'fields.id_token_signed_response_alg.label',
} as const

/** Fields of the API by what the form calls them, as a list of words. */
export function useFieldNames() {
  const { t, i18n } = useTranslation('clients')
  return (fields: readonly string[]): string => {
    const said = fields.flatMap((field) => (field in labels ? t(labels[field as keyof typeof labels]) : []))
    if (said.length === 0) return t('conflict.state')
    return new Intl.ListFormat(i18n.language).format(said)
  }
}
