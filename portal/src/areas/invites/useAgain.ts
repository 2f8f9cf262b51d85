import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { told } from '../../parts/told.ts'
import { useSaid } from '../../parts/useSaid.ts'
import type { Invite } from './queries.ts'
import { invite, renew, sendAgain } from './queries.ts'

/** Mails an open invite once more; one that has ended is made anew, for the same address and groups. */
export function useAgain({ token, mail, groups, state }: Invite) {
  const { t } = useTranslation('invites')
  const said = useSaid()
  return useMutation({
    mutationFn: async () =>
      state === 'valid'
        ? sendAgain(token)
        : (await invite({ groups, days: undefined }, mail ?? undefined)).mail_sent,
    onSuccess: (sent) => told(t(sent ? 'do.sent' : 'do.unsent', { mail: mail ?? '' })),
    onError: (error) => told(said(error).sentence),
    onSettled: renew,
  })
}
