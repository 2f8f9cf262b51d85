import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Confirm } from './Confirm.tsx'

type Props = {
  /** While something is lost by leaving. */
  when: boolean
  title?: string
  action?: string
  /** What is lost. */
  children?: ReactNode
  /** The screen keeps what was typed while its search or filters in the address change. */
  onlyScreens?: boolean
}

/**
 * Asks before one leaves what was typed, and has the browser ask before the page goes. A step that saved it leaves with
 * `ignoreBlocker`.
 */
export function AsksToLeave({ when, title, action, children, onlyScreens = false }: Props) {
  const { t } = useTranslation()
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => when && !(onlyScreens && current.pathname === next.pathname),
    enableBeforeUnload: () => when,
    withResolver: true,
  })
  return (
    <Confirm
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title={title ?? t('leave.title')}
      action={action ?? t('leave.action')}
      onConfirm={() => proceed?.()}
    >
      {children ?? t('leave.text')}
    </Confirm>
  )
}
