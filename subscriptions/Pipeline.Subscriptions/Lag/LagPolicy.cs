using System.Globalization;
using Pipeline.Database;

namespace Pipeline.Subscriptions;

/// <summary>How far a consumer may be behind, and what is done when it is further. Immutable.</summary>
public sealed record LagPolicy
{
    /// <summary>The highest age of the oldest change that waits; null for any.</summary>
    public TimeSpan? Age { get; init; }

    /// <summary>The most changes that may wait; null for any.</summary>
    public long? Changes { get; init; }

    /// <summary>The most bytes of changes that may wait; null for any.</summary>
    public long? Bytes { get; init; }

    /// <summary>What is done when one of them is exceeded.</summary>
    public LagAction Then { get; init; }

    /// <summary>Whether it limits nothing.</summary>
    internal bool IsEmpty => Age is null && Changes is null && Bytes is null;

    /// <summary>What is wrong with it; null where it can be one.</summary>
    public string? Problem() =>
        Age <= TimeSpan.Zero ? $"maxLag.age is {Age}; it must be over 0"
        : Changes <= 0 ? $"maxLag.changes is {Changes}; at least 1 is needed"
        : Bytes <= 0 ? $"maxLag.bytes is {Bytes}; at least 1 is needed"
        : IsEmpty && Then != LagAction.Keep ? "'then' says what to do where maxLag is exceeded, and there is no maxLag"
        : null;

    /// <summary>Compares with what waits for a consumer.</summary>
    /// <param name="status">The consumer.</param>
    /// <param name="warnAt">From which share of a limit on the state is <see cref="LagState.Warning"/>: 0.8 for 80 %.</param>
    public LagVerdict Judge(ConsumerStatus status, double warnAt)
    {
        ArgumentNullException.ThrowIfNull(status);
        (double share, string? what) = (0, null);
        if (Age is { } age) Weigh(status.AgeSeconds / age.TotalSeconds, $"the oldest change that waits is {Duration(status.AgeSeconds)} old, {Duration(age.TotalSeconds)} are allowed");
        if (Changes is { } changes) Weigh(status.Pending.Changes / (double)changes, Text($"{status.Pending.Changes:N0} changes wait, {changes:N0} are allowed"));
        if (Bytes is { } bytes) Weigh(status.Pending.Bytes / (double)bytes, Text($"{status.Pending.Bytes:N0} bytes wait, {bytes:N0} are allowed"));
        LagState state = share > 1 ? LagState.Exceeded : share >= warnAt ? LagState.Warning : LagState.Normal;
        return new LagVerdict(state, share, state == LagState.Normal ? null : what);

        void Weigh(double its, string text)
        {
            if (what is null || its > share) (share, what) = (its, text);
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    /// <summary>Seconds for people.</summary>
    internal static string Duration(double seconds) => seconds switch
    {
        < 120 => Text($"{seconds:0.#} s"),
        < 7_200 => Text($"{seconds / 60:0.#} min"),
        < 172_800 => Text($"{seconds / 3_600:0.#} h"),
        _ => Text($"{seconds / 86_400:0.#} days"),
    };
}
