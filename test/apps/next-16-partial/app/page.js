export default () => <h1>Partial home</h1>
