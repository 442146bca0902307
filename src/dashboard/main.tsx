import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from '#client/api-error.ts'
import { router } from './router.tsx'
import './styles.css'
import { Toasts } from './ui/toast.tsx'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Changes are told by the server; what was read stays good until then.
      staleTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      // The client tries again by itself where that is safe.
      retry: (failures, error) => !(error instanceof ApiError) && failures < 1,
    },
  },
})

const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </StrictMode>,
  )
