import { Notifications } from '@mantine/notifications'

/** Where `told` is shown; it loads beside the first view, since nothing is told before somebody did something. */
export function Told() {
  return <Notifications position="top-right" limit={3} />
}
