import type { Inspection } from '#src/connect.ts'
import type { Config } from '#src/settings.ts'
import type { Check } from './findings.ts'
import { error, note, ok, warning } from './findings.ts'

/** Mail and SMS: greeted, with sign-in, and nothing sent. */
export function messageChecks(config: Config, { mail, sms }: Pick<Inspection, 'mail' | 'sms'>): Check[] {
  return [
    {
      name: 'mail',
      run: async () => {
        const { host, port, from } = config.smtp
        if (!host)
          return [
            warning(
              'no mail server is set',
              'Invites, password resets and codes by mail reach nobody.',
              'Set app_smtp__host, app_smtp__from and what your server asks for, or store them by POST /api/conf.',
            ),
          ]
        const failure = await mail.greet().then(
          () => undefined,
          (cause) => mail.reason(cause) || 'no answer',
        )
        return [
          failure === undefined
            ? ok(`${host}:${port} takes us`)
            : error(
                `${host}:${port} does not take us: ${failure}`,
                'Invites, password resets and codes wait, and are given up after app_delivery__attempts tries.',
                'Mend app_smtp__* or the server; what waits goes out by itself afterwards.',
              ),
          ...(from.includes('localhost.localdomain')
            ? [
                warning(
                  'mails are sent from localhost.localdomain',
                  'Most servers refuse them or take them for spam.',
                  'Set app_smtp__from to an address of a domain that lets this server send (SPF, DKIM).',
                ),
              ]
            : []),
        ]
      },
    },
    {
      name: 'SMS',
      run: async () => {
        if (!config.sms.accountSid)
          return [
            note(
              'no Twilio account is set',
              'No code or notification goes out by SMS.',
              'Set app_sms__*, if you want it.',
            ),
          ]
        const failure = await sms.greet().then(
          () => undefined,
          (cause) => sms.reason(cause) || 'no answer',
        )
        return failure === undefined
          ? [ok(`${new URL(config.sms.url).host} takes us`)]
          : [
              error(
                `${new URL(config.sms.url).host} does not take us: ${failure}`,
                'Codes and notifications by SMS wait, and are given up after app_delivery__attempts tries.',
                'Mend app_sms__*; what waits goes out by itself afterwards.',
              ),
            ]
      },
    },
  ]
}
