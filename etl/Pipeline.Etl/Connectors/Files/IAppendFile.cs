namespace Pipeline.Etl.Connectors.Files;

/// <summary>An open file of <see cref="IAppendFiles"/>. Errors are <see cref="IOException"/>.</summary>
internal interface IAppendFile : IDisposable
{
    /// <summary>The length in bytes.</summary>
    long Length { get; }

    /// <summary>Reads at an offset; returns how many bytes were read, 0 at the end.</summary>
    int Read(Span<byte> target, long offset);

    /// <summary>Writes all bytes at an offset.</summary>
    void Write(ReadOnlySpan<byte> bytes, long offset);

    /// <summary>Cuts the file.</summary>
    void Truncate(long length);

    /// <summary>Returns when all that was written is durable.</summary>
    void Sync();
}
