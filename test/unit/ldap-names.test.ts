import t from 'tap'
import { isPlainName, plainName, sameName } from '#adapters/ldap/names.ts'

t.test('spellings of one name are one name', async (t) => {
  t.equal(plainName(' Alice '), 'Alice')
  t.equal(plainName('ａｌｉｃｅ'), 'alice')
  t.equal(plainName('ﬁona'), 'fiona')
  t.ok(sameName('ALICE', 'ａlice '))
  t.ok(isPlainName('zoë müller'))
  t.notOk(isPlainName('ａlice'))
})

t.test('signs that nobody sees make no name', async (t) => {
  for (const name of [
    '',
    '  ',
    'a\u200bb',
    'a\u00adb',
    '\u202ea',
    'a\0',
    'a\nb',
    'a\u2028b',
    'a\ufe0f',
    'a\u3164b',
    'a\u{e0061}',
  ])
    t.equal(plainName(name), undefined, encodeURI(name))
})
