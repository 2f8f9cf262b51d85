import { notifications } from '@mantine/notifications'
import i18next from 'i18next'

/** Says that something is done, for those who look and those who listen. */
export function told(message: string): void {
  const closeButtonProps = { 'aria-label': i18next.t('close') }
  notifications.show({ message, color: 'green', autoClose: 5000, closeButtonProps })
}
