// SPDX-License-Identifier: GPL-2.0-or-later

// Proves Go's scheduler under the emulator: goroutines that are preempted by signals, channels, timers,
// garbage collection under load, locks, children.  Prints the same in every run.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

type node struct {
	left, right *node
	pad         [4]int
}

func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{left: tree(depth - 1), right: tree(depth - 1)}
}

func (n *node) count() int {
	if n == nil {
		return 0
	}
	return 1 + n.left.count() + n.right.count()
}

// A loop without a call can only be left by a signal.
func preempted() bool {
	var stop int32
	var spins int64
	done := make(chan bool)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	go func() {
		for atomic.LoadInt32(&stop) == 0 {
			for i := 0; i < 1000; i++ {
				spins++
			}
		}
		done <- true
	}()
	runtime.Gosched()
	atomic.StoreInt32(&stop, 1)
	return <-done
}

func channels(n int) int {
	in := make(chan int)
	out := make(chan int, 8)
	var wg sync.WaitGroup
	for w := 0; w < 8; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for v := range in {
				out <- v * v
			}
		}()
	}
	go func() {
		for i := 1; i <= n; i++ {
			in <- i
		}
		close(in)
		wg.Wait()
		close(out)
	}()
	sum := 0
	for v := range out {
		sum += v
	}
	return sum
}

func timers() (int, bool) {
	start := time.Now()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	n := 0
	for end := time.After(21 * time.Millisecond); ; {
		select {
		case <-tick.C:
			n++
		case <-end:
			return n, time.Since(start) >= 21*time.Millisecond
		}
	}
}

func main() {
	debug.SetGCPercent(10)
	fmt.Println("preempted", preempted())
	fmt.Println("channels", channels(500))
	var wg sync.WaitGroup
	var nodes int64
	for i := 0; i < 6; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := 0; j < 4; j++ {
				atomic.AddInt64(&nodes, int64(tree(9).count()))
			}
		}()
	}
	wg.Wait()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println("nodes", nodes, "collected", m.NumGC > 0)
	n, late := timers()
	fmt.Println("ticks", n >= 1 && n <= 11, late)
	var mu sync.Mutex
	sum := 0
	for i := 0; i < 50; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			mu.Lock()
			sum += i
			mu.Unlock()
		}(i)
	}
	wg.Wait()
	fmt.Println("sum", sum)
	// Ends as the caller asks.
	os.Exit(len(os.Args) - 1)
}
