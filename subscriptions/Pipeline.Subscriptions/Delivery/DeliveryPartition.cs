namespace Pipeline.Subscriptions;

/// <summary>The partitions that spread keys by their hash. At any time only one worker owns a partition.</summary>
internal static class DeliveryPartition
{
    /// <summary>The number of partitions. Any workers beyond that number are idle.</summary>
    public const int Count = 64;

    /// <summary>The partition of a document id, independent of case: FNV-1a over the lower-case characters.</summary>
    public static int Of(string id)
    {
        var hash = 2166136261;
        foreach (var c in id)
        {
            hash =
                (
                    hash
                    ^ (
                        char.IsAscii(c)
                            ? (uint)(c - 'A') < 26
                                ? c | 0x20u
                                : c
                            : char.ToLowerInvariant(c)
                    )
                ) * 16777619;
        }

        return (int)((hash ^ (hash >> 16)) % Count);
    }
}
