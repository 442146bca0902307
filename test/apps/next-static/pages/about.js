export default () => <h1>Static about</h1>
