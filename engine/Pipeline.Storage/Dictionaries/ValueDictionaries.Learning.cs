namespace Pipeline.Storage;

/// <content>When a dictionary is made, and when a better one.</content>
public sealed partial class ValueDictionaries
{
    /// <summary>Bytes of samples that a dictionary is made of.</summary>
    internal const int SampleBytes = 256 << 10;

    /// <summary>Fewer samples have nothing in common that pays.</summary>
    private const int MinSamples = 32;

    /// <summary>The rest of a large value needs no dictionary: it repeats itself.</summary>
    private const int MaxSampleBytes = 8 << 10;

    /// <summary>
    /// The most bytes of samples of all groups together; a group that finds no room compresses without a dictionary
    /// until there is.
    /// </summary>
    private const int MaxAllSampleBytes = 16 << 20;

    private const int DictionaryBytes = 16 << 10;

    /// <summary>By so much the stored part of the values must have grown before another dictionary is tried.</summary>
    private const double Worse = 1.2;

    /// <summary>So much less than the present one another dictionary must need to replace it.</summary>
    private const double Better = 0.95;

    private long _allSampleBytes;

    /// <summary>Bytes of values over which the gain is measured.</summary>
    internal long WindowBytes { get; init; } = 8 << 20;

    private sealed class GroupState
    {
        /// <summary>The number of the dictionary in use; 0 if there is none.</summary>
        public byte Number { get; set; }

        public ZstdDictionary? Dictionary { get; set; }

        /// <summary>The highest number that was ever given, rolled back or not.</summary>
        public byte Highest { get; set; }

        /// <summary>The transaction in which <see cref="Number"/> was last seen to be there.</summary>
        public WriteTransaction? SeenIn { get; set; }

        public byte[]? Samples { get; set; }

        public List<int> Lengths { get; } = [];

        public int SampledBytes { get; set; }

        /// <summary>How many bytes of values are to pass before the next attempt.</summary>
        public long Pause { get; set; }

        /// <summary>
        /// Stored bytes for each byte of a value when the dictionary was new; 0 before that is known.
        /// </summary>
        public double Baseline { get; set; }

        public long WindowValueBytes { get; set; }

        public long WindowStoredBytes { get; set; }

        public bool IsLearning { get; set; } = true;

        public void Count(int value, int stored)
        {
            WindowValueBytes += value;
            WindowStoredBytes += stored;
            Pause -= value;
        }
    }

    /// <summary>The group's state, with a dictionary that this transaction sees.</summary>
    private GroupState Current(WriteTransaction transaction, uint group)
    {
        if (!_groups.TryGetValue(group, out var state))
            _groups.Add(group, state = new GroupState());
        if (ReferenceEquals(state.SeenIn, transaction))
            return state;
        Span<byte> key = stackalloc byte[KeyBytes];
        WriteKey(key, group, state.Number);
        // The transaction that made it may have been rolled back.
        if (
            state.SeenIn is null
            || (state.Number != 0 && (!transaction.TryOpenTree(_tree, out var tree) || !tree.Contains(key)))
        )
        {
            Find(transaction, group, state);
        }

        state.SeenIn = transaction;
        return state;
    }

    private void Find(WriteTransaction transaction, uint group, GroupState state)
    {
        (state.Number, state.Dictionary, state.IsLearning, state.Pause) = (0, null, true, 0);
        if (!transaction.TryOpenTree(_tree, out var tree))
            return;
        Span<byte> key = stackalloc byte[KeyBytes];
        WriteKey(key, group, 0);
        using var cursor = tree.OpenCursor();
        for (
            var more = cursor.Seek(key);
            more && cursor.Key.StartsWith(key.Slice(0, sizeof(uint)));
            more = cursor.MoveNext()
        )
        {
            state.Number = cursor.Key[^1];
        }

        state.Highest = Math.Max(state.Highest, state.Number);
        if (state.Number != 0)
            (state.Dictionary, state.IsLearning) = (Prepared(transaction, group, state.Number), false);
    }

    /// <summary>Collects samples of the values, and trains a dictionary on them when it is time.</summary>
    private void Learn(WriteTransaction transaction, uint group, GroupState state, ReadOnlySpan<byte> value)
    {
        if (state.WindowValueBytes >= WindowBytes)
            CloseWindow(state);
        if (!state.IsLearning || state.Pause > 0 || state.Highest == LastNumber || !TrySample(state, value))
            return;
        if (state.SampledBytes < SampleBytes)
            return;
        var samples = state.Samples.AsSpan(0, state.SampledBytes);
        if (
            state.Lengths.Count >= MinSamples
            && ZstdDictionary.Train(samples, state.Lengths.ToArray(), DictionaryBytes) is { } bytes
        )
        {
            Adopt(transaction, group, state, bytes);
        }
        // Whether one was found or not: the next attempt has to wait.
        state.Pause = WindowBytes;
        state.IsLearning = state.Dictionary is null;
        DropSamples(state);
    }

    private void Adopt(WriteTransaction transaction, uint group, GroupState state, byte[] bytes)
    {
        var number = (byte)Math.Max(FirstNumber, state.Highest + 1);
        var made = Prepare(bytes, group, number);
        if (state.Dictionary is { } present && Measure(state, made) > Measure(state, present) * Better)
            return;
        Span<byte> key = stackalloc byte[KeyBytes];
        WriteKey(key, group, number);
        transaction.CreateTree(_tree).Put(key, bytes);
        _prepared[(group, number)] = made;
        (state.Number, state.Highest, state.Dictionary) = (number, number, made);
        (state.Baseline, state.WindowValueBytes, state.WindowStoredBytes) = (0, 0, 0);
    }

    /// <summary>Bytes that the samples take with a dictionary.</summary>
    private static long Measure(GroupState state, ZstdDictionary dictionary)
    {
        var sum = 0L;
        var at = 0;
        Span<byte> buffer = new byte[MaxSampleBytes];
        foreach (var length in state.Lengths)
        {
            sum += Zstd.TryCompress(
                state.Samples.AsSpan(at, length),
                buffer.Slice(0, length),
                out var written,
                dictionary
            )
                ? written
                : length;
            at += length;
        }
        return sum;
    }

    private static void CloseWindow(GroupState state)
    {
        var share = (double)state.WindowStoredBytes / state.WindowValueBytes;
        (state.WindowValueBytes, state.WindowStoredBytes) = (0, 0);
        if (state.Dictionary is null)
            return;
        if (state.Baseline == 0)
            state.Baseline = share;
        else if (share > state.Baseline * Worse)
            (state.IsLearning, state.Baseline) = (true, share);
    }

    private bool TrySample(GroupState state, ReadOnlySpan<byte> value)
    {
        if (state.Samples is null)
        {
            if (_allSampleBytes + SampleBytes > MaxAllSampleBytes)
                return false;
            _allSampleBytes += SampleBytes;
            state.Samples = new byte[SampleBytes];
        }
        var length = Math.Min(Math.Min(value.Length, MaxSampleBytes), SampleBytes - state.SampledBytes);
        value.Slice(0, length).CopyTo(state.Samples.AsSpan(state.SampledBytes));
        state.SampledBytes += length;
        state.Lengths.Add(length);
        return true;
    }

    private void DropSamples(GroupState state)
    {
        _allSampleBytes -= SampleBytes;
        (state.Samples, state.SampledBytes) = (null, 0);
        state.Lengths.Clear();
    }
}
