export const loader = ({ params }: { params: { name: string } }) => ({ person: params.name.toUpperCase() })

export default function Person({ loaderData }: { loaderData: { person: string } }) {
  return <p>Person {loaderData.person}</p>
}
