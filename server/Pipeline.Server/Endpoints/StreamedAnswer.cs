namespace Pipeline.Server.Endpoints;

/// <summary>How answers are sent that are not held whole.</summary>
internal static class StreamedAnswer
{
    /// <summary>Bytes after which what was written is sent.</summary>
    public const int SendBytes = 32 << 10;
}
