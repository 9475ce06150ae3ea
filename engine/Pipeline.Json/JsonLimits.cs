namespace Pipeline.Json;

/// <summary>How much JSON one value may be.</summary>
public sealed record JsonLimits
{
    /// <summary>The default limits.</summary>
    public static JsonLimits Default { get; } = new();

    /// <summary>Arrays and objects within one another, at most. The greatest value that is heeded is 1,000.</summary>
    public int MaxDepth { get; init; } = 128;

    /// <summary>Bytes of UTF-8 text, at most. The greatest value that is heeded is 256 MiB.</summary>
    public int MaxBytes { get; init; } = 64 * 1024 * 1024;

    internal int EffectiveDepth => Math.Clamp(MaxDepth, 1, 1_000);

    internal int EffectiveBytes => Math.Clamp(MaxBytes, 1, 256 * 1024 * 1024);
}
