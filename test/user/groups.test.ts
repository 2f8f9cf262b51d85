import { test } from 'tap'
import { startUserTests } from './support.ts'

const { admin, newUser, join, request } = await startUserTests()

test('an admin sees every group a user is in, with the chain that leads there, and those they own', async (t) => {
  const { uid, token } = await newUser(admin)
  for (const name of ['crew', 'staff', 'everybody', 'owned-by-them'])
    await request('POST', '/api/group/', { token: admin, body: { name } })
  await join('crew', uid)
  await request('PUT', '/api/group/staff/nested/crew', { token: admin })
  await request('PUT', '/api/group/everybody/nested/staff', { token: admin })
  await request('PUT', `/api/group/owner/owned-by-them/${uid}`, { token: admin })

  const { status, body } = await request('GET', `/api/user/${uid.toUpperCase()}/group`, { token: admin })
  t.equal(status, 200)
  t.same(body, {
    results: [
      { cn: 'crew', via: ['crew'] },
      { cn: 'everybody', via: ['everybody', 'staff', 'crew'] },
      { cn: 'staff', via: ['staff', 'crew'] },
    ],
    owned: ['owned-by-them'],
  })
  t.match(await request('GET', `/api/user/${uid}/group`, { token }), {
    status: 401,
    body: { name: 'InsufficientPermission' },
  })
  t.match(await request('GET', '/api/user/nobody-at-all/group', { token: admin }), {
    status: 404,
    body: { name: 'NotFound' },
  })
})
