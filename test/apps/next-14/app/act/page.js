import { cookies } from 'next/headers'

async function save() {
  'use server'
  cookies().set('saved', 'yes')
}

export default () => (
  <form action={save}>
    <button type="submit">Save</button>
  </form>
)
