namespace Pipeline.Subscriptions;

/// <summary>The partitions among which keys are spread by their hash: what one worker has, no other one gets.</summary>
internal static class DeliveryPartition
{
    /// <summary>How many there are. More workers than that find nothing to do.</summary>
    public const int Count = 64;

    /// <summary>The partition of a document id, the same in any case: FNV-1a over the lower-case characters.</summary>
    public static int Of(string id)
    {
        uint hash = 2166136261;
        foreach (char c in id) hash = (hash ^ (char.IsAscii(c) ? (uint)(c - 'A') < 26 ? c | 0x20u : c : char.ToLowerInvariant(c))) * 16777619;
        return (int)((hash ^ (hash >> 16)) % Count);
    }
}
