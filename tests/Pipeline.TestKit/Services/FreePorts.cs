using System.Net;
using System.Net.Sockets;

namespace Pipeline.TestKit.Services;

/// <summary>
/// Ports for services of the tests. They lie below those that systems give to outgoing connections, so no connection
/// takes a port before its service listens, or while it is restarted. Thread-safe.
/// </summary>
public static class FreePorts
{
    private const int First = 20_000;
    private const int Count = 12_000;

    // Test processes run side by side and begin at different places; each gives out a port once.
    private static int _next = Random.Shared.Next(Count);

    /// <summary>The first of some free ports next to each other.</summary>
    /// <param name="count">How many.</param>
    public static int Find(int count = 1)
    {
        for (var attempt = 0; attempt < 200; attempt++)
        {
            var port = First + ((Interlocked.Add(ref _next, count) - count) % Count);
            if (Enumerable.Range(port, count).All(IsFree))
                return port;
        }
        throw new InvalidOperationException($"no {count} free ports next to each other");
    }

    private static bool IsFree(int port)
    {
        using var listener = new TcpListener(IPAddress.Any, port);
        try
        {
            listener.Start();
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
