import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'

async function greet(form) {
  'use server'
  const jar = await cookies()
  jar.set('greeted', String(form.get('name')))
  redirect('/form')
}

export default async () => {
  const greeted = (await cookies()).get('greeted')?.value
  return (
    <form action={greet}>
      <p>Greeted {greeted ?? 'nobody'}</p>
      <input name="name" defaultValue="Ada" />
    </form>
  )
}
