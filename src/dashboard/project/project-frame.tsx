import { Outlet } from '@tanstack/react-router'

export const ProjectFrame = () => <Outlet />
