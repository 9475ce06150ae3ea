using System.Runtime.CompilerServices;
using Pipeline.Server.Security;

namespace Pipeline.Server.Databases;

/// <summary>Counts what each client uses at a time. All clients that are not known count as one. Thread-safe.</summary>
internal sealed class ClientCounts
{
    private static readonly ClientIdentity Strangers = ClientIdentity.Unknown("strangers");
    private readonly ConditionalWeakTable<ClientIdentity, Count> _clients = [];

    /// <summary>
    /// Counts one more for a client, until the result is disposed; null if the client has as many as it may.
    /// </summary>
    public IDisposable? TryAdd(ClientIdentity client, int most)
    {
        var count = _clients.GetValue(client.IsKnown ? client : Strangers, _ => new Count());
        if (count.Add() <= most)
            return new Member(count);
        count.Remove();
        return null;
    }

    private sealed class Count
    {
        private int _value;

        public int Add() => Interlocked.Increment(ref _value);

        public void Remove() => Interlocked.Decrement(ref _value);
    }

    private sealed class Member(Count count) : IDisposable
    {
        private Count? _count = count;

        public void Dispose() => Interlocked.Exchange(ref _count, null)?.Remove();
    }
}
