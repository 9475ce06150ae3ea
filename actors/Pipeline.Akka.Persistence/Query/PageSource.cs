using System.Diagnostics.CodeAnalysis;
using Akka.Streams;
using Akka.Streams.Stage;

namespace Pipeline.Akka.Persistence.Query;

/// <summary>A page of a query's elements, and whether it is the last.</summary>
internal readonly record struct Page<T>(IReadOnlyList<T> Items, bool IsLast);

/// <summary>
/// A source that fetches the next page when the current one is used up and the stream asks for more. The end of the
/// stream cancels a fetch in progress, so a live query stops waiting.
/// </summary>
/// <param name="begin">Begins a query: returns the function that fetches its next page.</param>
internal sealed class PageSource<T>(Func<Func<CancellationToken, Task<Page<T>>>> begin) : GraphStage<SourceShape<T>>
{
    private readonly Outlet<T> _out = new("pipeline.out");

    public override SourceShape<T> Shape => new(_out);

    protected override GraphStageLogic CreateLogic(Attributes inheritedAttributes) => new Logic(Shape, _out, begin());

    [SuppressMessage("Reliability", "CA1001", Justification = "The source has no timer; PostStop cancels it.")]
    private sealed class Logic : OutGraphStageLogic
    {
        private readonly CancellationTokenSource _stop = new();
        private readonly Func<CancellationToken, Task<Page<T>>> _fetch;
        private readonly Outlet<T> _out;
        private readonly Action<Page<T>> _fetched;
        private readonly Action<Exception> _failed;
        private Page<T> _page = new([], false);
        private int _next;

        public Logic(Shape shape, Outlet<T> outlet, Func<CancellationToken, Task<Page<T>>> fetch)
            : base(shape)
        {
            _out = outlet;
            _fetch = fetch;
            _fetched = GetAsyncCallback<Page<T>>(OnFetched);
            _failed = GetAsyncCallback<Exception>(FailStage);
            SetHandler(outlet, this);
        }

        public override void OnPull()
        {
            if (_next < _page.Items.Count)
                Push();
            else if (_page.IsLast)
                CompleteStage();
            else
                Task.Run(FetchAsync, CancellationToken.None);
        }

        public override void PostStop()
        {
            _stop.Cancel();
            base.PostStop();
        }

        private async Task FetchAsync()
        {
            try
            {
                _fetched(await _fetch(_stop.Token).ConfigureAwait(false));
            }
#pragma warning disable CA1031 // Any error fails the stream.
            catch (Exception e)
#pragma warning restore CA1031
            {
                _failed(e);
            }
        }

        private void OnFetched(Page<T> page)
        {
            _page = page;
            _next = 0;
            OnPull();
        }

        private void Push()
        {
            Push(_out, _page.Items[_next++]);
            if (_page.IsLast && _next == _page.Items.Count)
                CompleteStage();
        }
    }
}
