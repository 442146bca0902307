export default () => <h1>Static home</h1>
