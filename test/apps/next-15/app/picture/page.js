import Image from 'next/image'
import dot from './dot.png'

export default () => <Image src={dot} alt="a dot" />
