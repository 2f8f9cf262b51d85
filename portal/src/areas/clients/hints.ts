/** What to look out for, by recipe; the key of its text. A test holds that each application of docs/apps.md has one. */
export const hints = {
  grafana: 'hints.grafana',
  gitea: 'hints.gitea',
  'nextcloud-user-oidc': 'hints.nextcloud',
  gitlab: 'hints.gitlab',
  portainer: 'hints.portainer',
  'proxmox-ve': 'hints.proxmox',
  'hashicorp-vault': 'hints.vault',
  'argo-cd': 'hints.argo',
  'argo-cd-command-line': 'hints.argoCommand',
  'oauth2-proxy': 'hints.oauth2proxy',
  'apache-mod-auth-openidc': 'hints.apache',
} as const

export function hintOf(recipe: string): (typeof hints)[keyof typeof hints] | undefined {
  return (hints as Partial<Record<string, (typeof hints)[keyof typeof hints]>>)[recipe]
}
