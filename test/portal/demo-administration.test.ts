import { test } from 'tap'
import { look, screens } from './demo-support.ts'

await test('every screen of the demo for administrators: nothing fails, nothing that axe minds in light and dark, none wider than a phone', (t) =>
  look(t, screens.administration))
