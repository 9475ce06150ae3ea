namespace Pipeline.Hosting.Studio;

/// <summary>A file of the Studio.</summary>
/// <param name="Path">Where it is served.</param>
/// <param name="ContentType">Its media type.</param>
/// <param name="Content">Its bytes.</param>
/// <param name="ETag">The ETag for browsers; it changes with the bytes.</param>
internal sealed record StudioAsset(string Path, string ContentType, ReadOnlyMemory<byte> Content, string ETag);
