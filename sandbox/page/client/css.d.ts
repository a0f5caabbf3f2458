/** Style sheets are bundled with what imports them. */
declare module '*.css';
