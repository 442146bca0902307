import { createRoot } from 'react-dom/client'

createRoot(document.getElementById('root')).render(<h1>Hello from React in {import.meta.env.MODE}</h1>)
