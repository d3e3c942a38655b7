/** Gives a file to the user. The name may have any characters; those that file systems refuse are replaced. */
export function saveAs(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = fileName(name);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export function fileName(name: string): string {
  return name.replace(/[^\p{L}\p{N}._ -]+/gu, "_").slice(-120);
}
