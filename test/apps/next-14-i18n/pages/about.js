export default () => <h1>About</h1>
