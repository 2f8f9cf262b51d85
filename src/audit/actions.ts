/** Every action that the service writes into the audit log; what each says in words stands in the portal's `actions.json`. */
export const actions = [
  ...['login', 'consent', 'authorize', 'device', 'logout.notice', 'code.request', 'lockout.clear'],
  ...['user.create', 'user.update', 'user.delete', 'user.activate', 'user.deactivate', 'user.key'],
  ...['user.password', 'user.reset-request', 'user.reset', 'user.verify', 'user.accept-tos'],
  ...['user.session-end', 'user.impersonate', 'user.impersonate-end'],
  ...['access.request', 'access.cancel', 'access.approve', 'access.deny', 'grant.revoke'],
  ...['group.create', 'group.update', 'group.delete', 'group.member.add', 'group.member.remove'],
  ...['group.owner.add', 'group.owner.remove', 'group.nest', 'group.unnest'],
  ...['resource.create', 'resource.update', 'resource.delete', 'resource.edge.add', 'resource.edge.remove'],
  ...['resource.link.add', 'resource.link.remove'],
  ...['client.create', 'client.update', 'client.delete', 'client.rotate', 'client.preview'],
  ...['invite.create', 'invite.update', 'invite.send', 'invite.revoke', 'invite.accept'],
  ...['api-token.create', 'api-token.revoke', 'notification.send', 'tos.publish'],
  ...['conf.change', 'conf.test-email', 'conf.test-sms', 'backup.create', 'backup.restore'],
  ...['plugin.create', 'plugin.update', 'plugin.delete', 'plugin.secrets', 'plugin.load', 'plugin.unload'],
  ...['plugin.run', 'plugin.test', 'plugin.file'],
  ...['webhook.create', 'webhook.update', 'webhook.delete', 'webhook.test', 'webhook.disable'],
] as const
export type Action = (typeof actions)[number]
