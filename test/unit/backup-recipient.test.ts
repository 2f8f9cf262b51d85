import { Decrypter, Encrypter, Stanza } from 'age-encryption'
import { test } from 'tap'
import { lockedBy, openedBy } from '#src/backup/recipient.ts'

const passphrase = 'five words that nobody knows'

test('what is locked by a passphrase other programs that know age open, and the other way round', async (t) => {
  const ours = new Encrypter()
  ours.addRecipient(lockedBy(passphrase, 4))
  const theirs = new Decrypter()
  theirs.addPassphrase(passphrase)
  t.equal(await theirs.decrypt(await ours.encrypt('a backup'), 'text'), 'a backup')

  const others = new Encrypter()
  others.setPassphrase(passphrase)
  others.setScryptWorkFactor(5)
  const file = await others.encrypt('a backup')
  const opener = new Decrypter()
  opener.addIdentity(openedBy(passphrase))
  t.equal(await opener.decrypt(file, 'text'), 'a backup')
  const wrong = new Decrypter()
  wrong.addIdentity(openedBy(`${passphrase}?`))
  await t.rejects(wrong.decrypt(file))
})

test('a passphrase that asks for more work than ours is not tried', async (t) => {
  const [stanza] = await lockedBy(passphrase, 4).wrapFileKey(new Uint8Array(16))
  const [kind = '', salt = ''] = stanza?.args ?? []
  const asking = (factor: string) =>
    openedBy(passphrase).unwrapFileKey([new Stanza([kind, salt, factor], stanza?.body as Uint8Array)])
  t.same(await asking('4'), new Uint8Array(16))
  for (const factor of ['19', '99', '0', '04', '4 ', '-4', '']) t.equal(await asking(factor), null, factor)
})
