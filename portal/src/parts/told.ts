import { notifications } from '@mantine/notifications'

/** Says that something is done, for those who look and those who listen. */
export function told(message: string): void {
  notifications.show({ message, color: 'green', autoClose: 5000 })
}
