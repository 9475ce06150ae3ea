using System.Globalization;
using Pipeline.Documents;

namespace Pipeline.Subscriptions;

/// <summary>How far a consumer may lag, and what happens when it lags further. Immutable.</summary>
public sealed record LagPolicy
{
    /// <summary>The maximum age of the oldest waiting change; null for no limit.</summary>
    public TimeSpan? Age { get; init; }

    /// <summary>The maximum number of waiting changes; null for no limit.</summary>
    public long? Changes { get; init; }

    /// <summary>The maximum bytes of waiting changes; null for no limit.</summary>
    public long? Bytes { get; init; }

    /// <summary>What happens when a limit is exceeded.</summary>
    public LagAction Then { get; init; }

    /// <summary>Whether there is no limit.</summary>
    internal bool IsEmpty => Age is null && Changes is null && Bytes is null;

    /// <summary>What is wrong with the policy; null if it is valid.</summary>
    public string? Problem() =>
        Age <= TimeSpan.Zero ? $"maxLag.age is {Age}; it must be over 0"
        : Changes <= 0 ? $"maxLag.changes is {Changes}; it must be at least 1"
        : Bytes <= 0 ? $"maxLag.bytes is {Bytes}; it must be at least 1"
        : IsEmpty && Then != LagAction.Keep ? "'then' says what to do where maxLag is exceeded, and there is no maxLag"
        : null;

    /// <summary>Compares a consumer's backlog with the limits.</summary>
    /// <param name="status">The consumer.</param>
    /// <param name="warnAt">
    /// The share of a limit from which the state is <see cref="LagState.Warning"/>: 0.8 for 80 %.
    /// </param>
    public LagVerdict Judge(ConsumerStatus status, double warnAt)
    {
        ArgumentNullException.ThrowIfNull(status);
        (double share, string? what) = (0, null);
        if (Age is { } age)
        {
            Weigh(
                status.AgeSeconds / age.TotalSeconds,
                $"the oldest change that waits is {Duration(status.AgeSeconds)} old, {Duration(age.TotalSeconds)} are allowed"
            );
        }

        if (Changes is { } changes)
        {
            Weigh(
                status.Pending.Changes / (double)changes,
                Text($"{status.Pending.Changes:N0} changes wait, {changes:N0} are allowed")
            );
        }

        if (Bytes is { } bytes)
        {
            Weigh(
                status.Pending.Bytes / (double)bytes,
                Text($"{status.Pending.Bytes:N0} bytes wait, {bytes:N0} are allowed")
            );
        }

        var state =
            share > 1 ? LagState.Exceeded
            : share >= warnAt ? LagState.Warning
            : LagState.Normal;
        return new LagVerdict(state, share, state == LagState.Normal ? null : what);

        void Weigh(double its, string text)
        {
            if (what is null || its > share)
                (share, what) = (its, text);
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    /// <summary>Formats seconds for people.</summary>
    internal static string Duration(double seconds) =>
        seconds switch
        {
            < 120 => Text($"{seconds:0.#} s"),
            < 7_200 => Text($"{seconds / 60:0.#} min"),
            < 172_800 => Text($"{seconds / 3_600:0.#} h"),
            _ => Text($"{seconds / 86_400:0.#} days"),
        };
}
