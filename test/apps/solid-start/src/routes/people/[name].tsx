import { useParams } from '@solidjs/router'

export default function Person() {
  return <p>Person {useParams().name}</p>
}
