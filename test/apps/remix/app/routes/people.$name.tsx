import { useParams } from '@remix-run/react'

export default function Person() {
  return <p>Person {useParams().name}</p>
}
